// Command linearizability checks recorded histories of leads, and of units with their reservations:
// whether what each client was told could have come from one operation after the other.
//
// Usage: linearizability HISTORY PICTURES
//
// It prints a summary as JSON. For each key whose history is not linearizable it leaves a picture.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// patience is how long one key may take: only a history that is not linearizable takes long.
const patience = time.Minute

type summary struct {
	Operations int `json:"operations"`
	Keys       int `json:"keys"`
	// Keys whose history has no order.
	Illegal []string `json:"illegal"`
	// Keys that took too long.
	Undecided []string `json:"undecided"`
}

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: linearizability HISTORY PICTURES"))
	}
	histories, err := readHistories(os.Args[1])
	if err != nil {
		fail(err)
	}
	found := summary{Keys: len(histories), Illegal: []string{}, Undecided: []string{}}
	keys := make([]string, 0, len(histories))
	for key := range histories {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		history := histories[key]
		found.Operations += len(history)
		model := leadModel
		if strings.HasPrefix(key, "unit") {
			model = unitModel
		}
		result, info := porcupine.CheckOperationsVerbose(model, history, patience)
		switch result {
		case porcupine.Illegal:
			found.Illegal = append(found.Illegal, key)
			picture := filepath.Join(os.Args[2], key+".html")
			if err := porcupine.VisualizePath(model, info, picture); err != nil {
				fail(err)
			}
		case porcupine.Unknown:
			found.Undecided = append(found.Undecided, key)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		fail(err)
	}
}

func describe(in, out interface{}) string {
	told := "nothing"
	if out.(*output) != nil {
		told = fmt.Sprintf("%+v", *out.(*output))
	}
	return fmt.Sprintf("%+v: %s", in, told)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
