"""The command line: parse what was typed, call the library, print what came back."""
