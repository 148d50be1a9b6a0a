// Package lab is what notebook cells import to show results: tables, figures,
// runs, errors and files.
//
//	run := lab.Must(simcore.Serve(scenario, config))
//	lab.Show(run)                          // verdict, numbers and one figure
//	lab.Show(figure.TTFT(run))             // one picture
//	lab.Show(arrowio.Serving(run, arrowio.Options{}).Requests())
//	lab.Save("out/ttft.svg", figure.TTFT(run))
//	lab.Save("out/run.html", run)                  // its page
//
// In go values; out come Jupyter displays, each with a form in plain text
// beside it: HTML for tables, image/svg+xml for figures, so that saved and
// converted notebooks keep them. Outside a notebook the plain text is printed,
// and the same code runs as a program or an example test. Every text that
// comes from data is escaped (contract 09 section 1, rules D5 and R1 to R6).
//
// Displays arrive in the order of the calls: each call waits until the kernel
// has taken it. What a cell prints by itself travels another way and may
// overtake a display, so a cell should either print or show.
//
// The package does not import Parquet, which more than doubles the time a cell
// takes to link. A cell that saves Parquet imports arrowio/parquetio itself and
// hands its writer over:
//
//	lab.SaveTables("out", parquetio.Ext, parquetio.Write, tables.All()...)
//	lab.SaveResult("out", run, parquetio.Ext, parquetio.Write) // tables and page
package lab
