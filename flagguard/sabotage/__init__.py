"""Sabotage: edits in memory that must turn a clean check into a finding, and others that must not (DESIGN 3, 6).

A guard that cannot fail proves nothing, and one that flags everything proves nothing either. Knows nothing of a
command line or a report's format.
"""

from flagguard.sabotage.plan import Kind, Operator
from flagguard.sabotage.result import Proof, Result
from flagguard.sabotage.runner import run
from flagguard.sabotage.verdicts import Outcome

__all__ = ["Kind", "Operator", "Outcome", "Proof", "Result", "run"]
