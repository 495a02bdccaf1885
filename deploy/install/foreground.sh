#!/usr/bin/env bash
# Runs a command in the foreground of the terminal, in a process group of its own, so
# that Ctrl-C reaches the command and not the make above it: in the chat Ctrl-C stops an
# answer, and a make that gets it would end.
set -m
"$@"
