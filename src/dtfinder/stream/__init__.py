"""Tables that are read in batches: proven shallow trees for any number of rows."""
