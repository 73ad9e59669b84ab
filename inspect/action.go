package inspect

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strconv"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/recovered"
)

// actionJSON is the body of a POST.
type actionJSON struct {
	Act    string `json:"act"`
	Player string `json:"player"`
	Handle string `json:"handle"`
	Text   string `json:"text"` // the command line, if Act is "command"
}

// act executes the action in the body of a POST. The token has been checked.
func (in *Inspector) act(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(w, refusal{http.StatusUnsupportedMediaType, "the Content-Type of an action must be application/json"})
		return
	}
	var a actionJSON
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&a); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			refuse(w, refusal{http.StatusRequestEntityTooLarge, "the action is too long"})
			return
		}
		refuse(w, refusal{http.StatusBadRequest, "invalid action"})
		return
	}
	if a.Act == "command" {
		in.command(w, r, a)
		return
	}
	if no := in.execute(a); no != nil {
		refuse(w, *no)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	if a.Act == "reload" {
		_, _ = w.Write(fitting(in.reloads.newest(), maxAnswer)) // the result of this reload
	}
}

func (in *Inspector) execute(a actionJSON) *refusal {
	switch a.Act {
	case "check": // the page only checks its token, which has been verified already
		return nil
	case "remove":
		handle, bad := strconv.ParseUint(a.Handle, 10, 64)
		if bad != nil {
			return &refusal{http.StatusBadRequest, "a handle has up to 20 digits"}
		}
		return in.do(buff.Remove(buff.Handle(handle)))
	case "pause", "resume":
		id, ok := parseID(a.Player)
		if !ok {
			return &refusal{http.StatusBadRequest, "a player id has up to 20 digits"}
		}
		if a.Act == "pause" {
			return in.do(buff.Pause(id))
		}
		return in.do(buff.Resume(id))
	case "reload":
		return in.reload()
	}
	return &refusal{http.StatusBadRequest, "unknown action"}
}

// do executes a command with Options.Do or the engine's Inbox.
func (in *Inspector) do(c buff.Command) *refusal {
	if in.opts.Do == nil {
		if err := in.eng.Inbox().Do(c); err != nil {
			return &refusal{http.StatusServiceUnavailable, line(err.Error())}
		}
		return nil
	}
	var said error
	if err := in.doing.call(func() {
		if said = in.opts.Do(c); said != nil {
			said = errors.New(recovered.Text(said)) // the Error method of the game's error may panic
		}
	}); err != nil {
		return &refusal{http.StatusInternalServerError, err.Error()}
	}
	if said != nil {
		return &refusal{http.StatusServiceUnavailable, line(said.Error())}
	}
	return nil
}

// reload reloads the definitions and adds the result to the history of reloads.
func (in *Inspector) reload() *refusal {
	if in.opts.Reload == nil {
		return &refusal{http.StatusNotFound, "Options.Reload is not set"}
	}
	select {
	case in.acting <- struct{}{}:
		defer func() { <-in.acting }()
	default:
		return &refusal{http.StatusConflict, "a reload is already running"}
	}
	var report any
	var failed error
	if err := in.loading.call(func() { report, failed = in.opts.Reload() }); err != nil {
		in.Reloaded(nil, err)
		return &refusal{http.StatusInternalServerError, err.Error()}
	}
	in.Reloaded(report, failed)
	return nil
}
