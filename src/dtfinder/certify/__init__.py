"""Proofs for people who trust nobody: written here, checked by a program that stands alone."""
