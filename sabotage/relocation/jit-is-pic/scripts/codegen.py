import platform

import llvmlite.binding as llvm


def machine(triple):
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(opt=2, reloc="pic", codemodel="default")


def small(target):
    return target.create_target_machine(reloc="pic", codemodel="small")


def plain(target):
    return target.create_target_machine(reloc="default")


def fast(target):
    return target.create_target_machine(opt=3, reloc="pic")


def by_machine(target):
    if platform.machine() in ("x86_64", "AMD64"):
        return target.create_target_machine(reloc="static", codemodel="large")
    return target.create_target_machine(reloc="pic", codemodel="default")


machine("")
small(None)
plain(None)
fast(None)
by_machine(None)
