"""The embedded agent: a program for a pane that behaves like a real agent CLI.

It needs the standard library alone and starts in milliseconds. `kind` is what the
office knows of it; everything else is the program.
"""
