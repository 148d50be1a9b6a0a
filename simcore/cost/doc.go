// Package cost prices work: how long a device computes, a link carries bytes and
// a communicator runs a collective, under the topology cost model of revision 9.
//
// In go a Model (the illustrative default, or one fitted from a calibration
// dataset), a validated scenario and counts of work items or bytes; out come
// durations in nanoseconds, or a typed error that names what has no price: a
// work-item count outside its observed range, a transport without its exact
// curve, domains without a path.
//
// Everything is a pure function of its inputs. Float expressions follow the
// contract to the single rounding; integer sums and products are checked.
//
// Contract 06 sections 5, 10, 12; cost model revision 9.
package cost
