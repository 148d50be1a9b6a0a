// Package page makes a self-contained HTML page of a notebook: what its docs
// page is made from, and what "inferlab notebook run --to html" writes.
//
// In goes an executed notebook (notebooks/run); out comes one HTML document
// that needs no other file and no network: text cells as headings, paragraphs,
// lists, tables and code, code cells with their outputs beneath, figures as
// SVG inside the page. Equal notebooks give equal bytes.
//
// Text cells are CommonMark with tables, read by goldmark. HTML in text cells is
// shown as text; links lead to pages, files and places only, and pictures are
// those that the text itself contains (data:). HTML in outputs is kept, as
// Jupyter keeps it; the page's content policy lets it load nothing.
package page
