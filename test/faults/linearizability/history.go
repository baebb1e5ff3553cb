package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/anishathalye/porcupine"
)

// input is what a client asked for.
type input struct {
	Op string `json:"op"`
	// Of a lead: the field of data that an upsert sends, and its value.
	Field string `json:"field"`
	Value int    `json:"value"`
	// Of a unit: which of its two reservations, and what the callback says.
	Reservation       int    `json:"reservation"`
	ReservationStatus string `json:"reservationStatus"`
	ChequeStatus      string `json:"chequeStatus"`
}

// output is what the client was told.
type output struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	// Of a lead; 0 where there is none.
	LeadID int `json:"leadId"`
	A      int `json:"a"`
	B      int `json:"b"`
	// Of a callback.
	ReservationStep string `json:"reservationStep"`
	ChequeStep      string `json:"chequeStep"`
	// Of a read or an upsert of a reservation, and of a read of a unit.
	Reservation reservation `json:"reservation"`
	UnitStatus  string      `json:"unitStatus"`
}

// record is one operation as the clients wrote it down.
type record struct {
	// Operations with different keys have nothing in common.
	Key    string `json:"key"`
	Client int    `json:"client"`
	// In microseconds of one clock.
	Call   int64 `json:"call"`
	Return int64 `json:"return"`
	Input  input `json:"input"`
	// Nothing where the client was not told: it may have happened, at any time after the call.
	Output *output `json:"output"`
}

// readHistories gives the operations of each key from a file with one record a line.
func readHistories(path string) (map[string][]porcupine.Operation, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	histories := map[string][]porcupine.Operation{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var one record
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s: %w", lines.Text(), err)
		}
		if one.Output == nil {
			one.Return = math.MaxInt64
		}
		histories[one.Key] = append(histories[one.Key], porcupine.Operation{
			ClientId: one.Client,
			Input:    one.Input,
			Call:     one.Call,
			Output:   one.Output,
			Return:   one.Return,
		})
	}
	return histories, lines.Err()
}
