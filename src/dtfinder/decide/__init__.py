"""One decision problem: is there a tree with so many paths and so much depth?"""
