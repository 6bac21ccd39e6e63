"""Builtins as they are before any patch is loaded: hostile code may replace them later."""

import builtins

AttributeError = builtins.AttributeError
BaseException = builtins.BaseException
LookupError = builtins.LookupError
MemoryError = builtins.MemoryError
RecursionError = builtins.RecursionError
RuntimeError = builtins.RuntimeError
StopIteration = builtins.StopIteration
ValueError = builtins.ValueError
abs = builtins.abs
any = builtins.any
bytearray = builtins.bytearray
bytes = builtins.bytes
callable = builtins.callable
compile = builtins.compile
dict = builtins.dict
exec = builtins.exec
frozenset = builtins.frozenset
getattr = builtins.getattr
id = builtins.id
int = builtins.int
iter = builtins.iter
len = builtins.len
list = builtins.list
min = builtins.min
next = builtins.next
object = builtins.object
range = builtins.range
set = builtins.set
setattr = builtins.setattr
slice = builtins.slice
sorted = builtins.sorted
str = builtins.str
tuple = builtins.tuple
type = builtins.type
