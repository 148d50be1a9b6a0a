package planreplay_test

import (
	"fmt"
	"reflect"

	"github.com/inferlab/inferlab/simcore/trace"
)

// A mutation is one change of one field of an event.
type mutation struct {
	path  string
	apply func() // changes the value in place
	undo  func()
}

// mutations lists every single-field change of the struct that v points to:
// numbers by one and out of range, texts, list entries and lengths, flags,
// optional parts. Lists are replaced, never written into, because traces share
// them with their plans.
func mutations(path string, v reflect.Value) []mutation {
	switch v.Kind() {
	case reflect.Struct:
		var all []mutation
		for i := range v.NumField() {
			all = append(all, mutations(path+"."+v.Type().Field(i).Name, v.Field(i))...)
		}
		return all
	case reflect.Int64:
		old := v.Int()
		var all []mutation
		for _, n := range []int64{old + 1, old - 1, 0, -1, 1<<53 - 1, 1 << 53} {
			if n != old {
				all = append(all, replace(fmt.Sprintf("%s=%d", path, n), v, reflect.ValueOf(n)))
			}
		}
		return all
	case reflect.String:
		old := v.String()
		all := []mutation{replace(path+"+x", v, reflect.ValueOf(old+"x").Convert(v.Type()))}
		if old != "" {
			all = append(all, replace(path+"=empty", v, reflect.ValueOf("").Convert(v.Type())))
		}
		return all
	case reflect.Bool:
		return []mutation{replace(path+"=flipped", v, reflect.ValueOf(!v.Bool()))}
	case reflect.Slice:
		return sliceMutations(path, v)
	case reflect.Pointer:
		return pointerMutations(path, v)
	}
	panic("no mutation of " + path + ", a " + v.Kind().String())
}

func replace(path string, v, by reflect.Value) mutation {
	old := reflect.ValueOf(v.Interface())
	if !old.IsValid() {
		old = reflect.Zero(v.Type())
	}
	return mutation{path, func() { v.Set(by) }, func() { v.Set(old) }}
}

func sliceMutations(path string, v reflect.Value) []mutation {
	n := v.Len()
	clone := func() reflect.Value {
		c := reflect.MakeSlice(v.Type(), n, n+1)
		reflect.Copy(c, v)
		return c
	}
	var all []mutation
	longer := reflect.Append(clone(), reflect.Zero(v.Type().Elem()))
	all = append(all, replace(path+"+zero", v, longer))
	if n == 0 {
		return all
	}
	all = append(all, replace(path+"-last", v, clone().Slice(0, n-1)))
	all = append(all, replace(path+"+again", v, reflect.Append(clone(), v.Index(0))))
	for i := range n {
		if i+1 < n && !reflect.DeepEqual(v.Index(i).Interface(), v.Index(i+1).Interface()) {
			c := clone()
			c.Index(i).Set(v.Index(i + 1))
			c.Index(i + 1).Set(v.Index(i))
			all = append(all, replace(fmt.Sprintf("%s[%d]swapped", path, i), v, c))
		}
		c := clone()
		for _, inner := range mutations(fmt.Sprintf("%s[%d]", path, i), c.Index(i)) {
			old := reflect.ValueOf(v.Interface())
			all = append(all, mutation{inner.path, func() { inner.apply(); v.Set(c) }, func() { v.Set(old); inner.undo() }})
		}
	}
	return all
}

func pointerMutations(path string, v reflect.Value) []mutation {
	if v.IsNil() {
		fault := &trace.Fault{Kind: trace.TopologyEpochChange, AtNs: 1, Reason: "x", NextTopologyEpoch: 1 << 40}
		return []mutation{replace(path+"=given", v, reflect.ValueOf(fault))}
	}
	all := []mutation{replace(path+"=nil", v, reflect.Zero(v.Type()))}
	c := reflect.New(v.Type().Elem())
	c.Elem().Set(v.Elem())
	for _, inner := range mutations(path, c.Elem()) {
		old := reflect.ValueOf(v.Interface())
		all = append(all, mutation{inner.path, func() { inner.apply(); v.Set(c) }, func() { v.Set(old); inner.undo() }})
	}
	return all
}
