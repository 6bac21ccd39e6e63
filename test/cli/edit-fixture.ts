/** A module of two functions that share a line, so that a place has to be told by more than it. */
export const BASE = `import os


def left(a):
    total = 0
    return total + a


def right(a):
    total = 0
    return total + a
`

/** How a diff of it begins. */
export const HEAD = '--- a/m.py\n+++ b/m.py\n'
