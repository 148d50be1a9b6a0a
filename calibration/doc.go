// Package calibration turns measurements into a cost model and tells an analyst
// how far to trust it.
//
// In go calibration datasets of revision 3: repeated durations of invocation,
// attention, ffn, draft and lookup work per device kind, and of transfers and
// collectives per exact path. Out come a cost.Model with its valid ranges, and
// for every group and curve the coefficient, its standard error, the samples, the
// range, the normalized RMSE, the P95 relative error and the residuals, as values,
// as Arrow tables and as a JSON document.
//
//	d, warnings, err := calibration.Read(doc, false)
//	fit, err := calibration.Fit(d)
//	fit.Model // prices every later run
//
// Import fails closed: incomplete coverage, doubtful provenance, too few samples,
// a coefficient that is not positive or a gate that is not met refuse the dataset.
// A dataset that only its gates refuse still gets its whole diagnosis, and every
// offending point is named at once.
//
// Contract 06 section 16 (calibration dataset 3, topology cost model 9).
package calibration
