// Package library derives the byte and parameter figures of published models from
// their architectures: nothing but shapes is typed in.
//
// In goes the name of a model with the number formats of its weights and of its KV
// cache; out comes a Profile: parameters, bytes of every layer, of experts and of
// embedding tables, KV bytes per token, components beside the decoder (vision and
// audio towers, text encoders, image decoders), and the work of one token. All of
// it is heuristic: norms and biases are left out, and what a release contains
// beyond its published shape is not known here. A test holds every derived
// parameter count against the published one.
//
// Package model has five presets of its own with cruder formulas for static
// analysis; where both know a name, whatever executes uses this library.
//
// Contract 08 sections B3 and B4.
package library
