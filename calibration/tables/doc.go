// Package tables gives the diagnosis of a calibration as Arrow tables: groups and
// their observations, transports and their message sizes, every sample with its
// residual, and the reasons of a refusal.
//
// In goes a calibration.Result, also one that its gates refused; out come tables
// with one declared schema each, a unit and a meaning for every column, and the
// dataset's identity in the metadata. Same dataset, same bytes.
//
// Contract 06 section 16; contract 09 section V17.
package tables
