// Package kernelspec installs the Jupyter kernel "Inferlab (Go)", removes it
// and says what a machine lacks to use it.
//
// In goes where Jupyter looks for kernels and what cells are to import: a
// checkout, or a released version of this module. Out comes a folder
//
//	DATA/kernels/inferlab/kernel.json     what Jupyter starts, all paths absolute
//	DATA/kernels/inferlab/bin/            gonb, goimports and, for completion, gopls
//	DATA/kernels/inferlab/module/         for a release: a module that pins the version
//
// The folder is complete in itself: the kernel starts with an empty PATH, and
// with the module proxy off once Go's module cache is warm. Cells import
// packages of github.com/inferlab/inferlab at once, because the kernel is
// started with a Go workspace that names the checkout or the pinning module.
package kernelspec
