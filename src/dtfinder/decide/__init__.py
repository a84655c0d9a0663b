"""One decision problem: is there a tree with P paths and depth D?"""
