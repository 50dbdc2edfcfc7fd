"""GNU make's language: reading, expansion, rules, and the shell scripts that its recipes are.

Follows the GNU make manual (4.3/4.4). Knows nothing of tools, flags or rules of flagguard, and never runs anything.
"""
