"""Formulas whose models are decision trees; each encoding comes with its decoder."""
