package main

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// lead is what there is under one recordSystemId (rules LEAD-3, LEAD-5 and LEAD-6).
type lead struct {
	exists bool
	// Its number; 0 while no client was told.
	number int
	// The number of the last lead that had this id. Which of two leads is the first to be stored does not
	// follow from their numbers.
	last int
	a, b int
}

var leadModel = porcupine.Model{
	Init: func() interface{} { return lead{} },
	Step: func(state, in, out interface{}) (bool, interface{}) {
		return stepLead(state.(lead), in.(input), out.(*output))
	},
	DescribeOperation: describe,
	DescribeState:     func(state interface{}) string { return fmt.Sprintf("%+v", state) },
}

func stepLead(before lead, in input, out *output) (bool, interface{}) {
	switch in.Op {
	case "upsert":
		after := before
		if !before.exists {
			after = lead{exists: true, last: before.last}
		}
		if in.Field == "a" {
			after.a = in.Value
		} else {
			after.b = in.Value
		}
		if out == nil {
			return true, after
		}
		isRight := out.Status == 200 == before.exists && (out.Status == 200 || out.Status == 201)
		return check(isRight, after, out)
	case "read":
		if !before.exists || out.Status != 200 {
			return !before.exists && out.Status == 404, before
		}
		return check(true, before, out)
	case "delete":
		after := lead{last: before.last}
		if out == nil {
			return true, after
		}
		if !before.exists || out.Status != 200 {
			return !before.exists && out.Status == 404, after
		}
		isRight, told := check(true, before, out)
		after.last = told.(lead).last
		return isRight, after
	}
	panic("no such operation: " + in.Op)
}

// check compares a lead with the one that was shown, and keeps a number that was not known before.
func check(isRight bool, is lead, out *output) (bool, interface{}) {
	if is.number == 0 {
		isRight = isRight && out.LeadID != is.last
		is.number, is.last = out.LeadID, out.LeadID
	}
	return isRight && is.number == out.LeadID && is.a == out.A && is.b == out.B, is
}
