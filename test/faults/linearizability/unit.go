package main

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// reservation is one of the two of a unit, with the only cheque of its only wallet.
type reservation struct {
	Status          string `json:"status"`
	ChequeStatus    string `json:"chequeStatus"`
	Reports         int    `json:"reports"`
	IsWalletDeleted bool   `json:"isWalletDeleted"`
}

// unit is a unit with its two reservations; the first is in the partner collection flow.
type unit struct {
	status       string
	reservations [2]reservation
}

const pending = "pending_cheque_collection"

var unitModel = porcupine.Model{
	Init: func() interface{} {
		waiting := reservation{Status: pending, ChequeStatus: "pending"}
		return unit{status: "Reserved", reservations: [2]reservation{waiting, waiting}}
	},
	Step: func(state, in, out interface{}) (bool, interface{}) {
		return stepUnit(state.(unit), in.(input), out.(*output))
	},
	DescribeOperation: describe,
	DescribeState:     func(state interface{}) string { return fmt.Sprintf("%+v", state) },
}

func stepUnit(before unit, in input, out *output) (bool, interface{}) {
	switch in.Op {
	case "callback":
		after, told := callback(before, in)
		return out == nil || told == *out, after
	case "reopen":
		after := reopen(before, in.Reservation)
		return out == nil || out.Status == 200 && out.Reservation == after.reservations[in.Reservation], after
	case "readReservation":
		return out.Status == 200 && out.Reservation == before.reservations[in.Reservation], before
	case "readUnit":
		return out.Status == 200 && out.UnitStatus == before.status, before
	}
	panic("no such operation: " + in.Op)
}

// callback follows rules CALL-4 to CALL-11: the reservation first, then the report, then its consequence.
func callback(before unit, in input) (unit, output) {
	after := before
	told := output{Status: 201, ReservationStep: "unchanged", ChequeStep: "none"}
	own := &after.reservations[in.Reservation]
	other := after.reservations[1-in.Reservation]
	switch in.ReservationStatus {
	case "":
	case "approved":
		if own.Status != pending {
			told.Status, told.Code = 422, "reservation.not_pending_cheque_collection"
			return after, told
		}
		approve(&after, in.Reservation)
	case "canceled":
		cancel(&after, in.Reservation)
	default:
		told.ReservationStep = "ignored"
	}
	if after != before {
		told.ReservationStep = "applied"
	}
	if in.ChequeStatus == "" {
		return after, told
	}
	told.ChequeStep = "applied"
	wasBounced := own.ChequeStatus == "bounced"
	own.ChequeStatus = in.ChequeStatus
	own.Reports++
	reported := after
	isApproved := false
	switch {
	case in.ChequeStatus == "bounced":
		cancel(&after, in.Reservation)
	case in.ChequeStatus == "collected" && wasBounced && other.Status == "approved":
		told.Status, told.Code = 422, "unit.already_reserved"
	case in.ChequeStatus == "collected" && wasBounced:
		isApproved = true
		approve(&after, in.Reservation)
		own.IsWalletDeleted = false
	case in.ChequeStatus == "collected" && own.Status == pending:
		isApproved = true
		approve(&after, in.Reservation)
	}
	// A repeated approval has a new time.
	if isApproved || after != reported {
		told.ReservationStep = "applied"
	}
	return after, told
}

// approve follows rule CALL-9.
func approve(of *unit, index int) {
	of.reservations[index].Status = "approved"
	of.status = "Sold"
}

// cancel follows rule CALL-10.
func cancel(of *unit, index int) {
	of.reservations[index].Status = "canceled"
	if index == 0 {
		of.reservations[index].IsWalletDeleted = true
	}
	recompute(of)
}

// reopen follows rule RES-7.
func reopen(before unit, index int) unit {
	after := before
	own := &after.reservations[index]
	if own.Status == "canceled" {
		own.Status = pending
		own.IsWalletDeleted = false
	}
	recompute(&after)
	return after
}

// recompute follows rule CALL-11.
func recompute(of *unit) {
	of.status = "Available"
	for _, one := range of.reservations {
		if one.Status == pending && of.status == "Available" {
			of.status = "Reserved"
		}
		if one.Status == "approved" {
			of.status = "Sold"
		}
	}
}
