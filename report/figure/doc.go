// Package figure draws the pictures of a run: the same figures for the report
// page, for a notebook cell and for a document.
//
// Each figure is a plain struct that holds the numbers it plots. A constructor
// named after the figure builds it from a finished run (a pure function: no
// simulation, no state); its methods render it to SVG, PNG or PDF through
// gonum/plot, and give its words (Text) and its numbers (Table). A time window
// and filters are fields of the struct.
//
// Rules that every figure keeps: the title states the finding, the subtitle what
// and of which run with which confidence; units are chosen per axis; logarithmic
// axes always carry labelled ticks; an empty figure is an image with the reason;
// data larger than the picture are reduced by a rule that the caption states;
// the same inputs give the same bytes.
//
// Contract 09, sections 1, V1, V2, V4, V5, V8, V11, V12, V13 and V14.
package figure
