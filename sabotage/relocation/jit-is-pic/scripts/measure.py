import llvmlite.binding as llvm

llvm.Target.from_default_triple().create_target_machine(reloc="static")
