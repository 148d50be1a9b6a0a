// Package page makes a self-contained HTML page of a notebook: what its docs
// page is made from, and what "inferlab notebook run --to html" writes.
//
// In goes an executed notebook (notebooks/run); out comes one HTML document
// that needs no other file and no network: text cells as headings, paragraphs,
// lists, tables and code, code cells with their outputs beneath, figures as
// SVG inside the page. Equal notebooks give equal bytes.
//
// Text cells are read as a subset of CommonMark that Render documents. HTML in
// text cells is shown as text. HTML in outputs is kept, as Jupyter keeps it;
// the page's content policy lets it load nothing.
package page
