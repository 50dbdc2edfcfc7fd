"""flagguard: proves that the build commands a repository runs pass the flags that its owners decided on."""

__version__ = "0.1.0"
