package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// game is the live page of a running game: see package inspect.
type game struct {
	url, token string
	client     http.Client
}

// Attach connects the page to the live page of a running game.
func (s *Server) Attach(address, token string) error {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return fmt.Errorf("%q is not the address of a live page, such as http://127.0.0.1:8080/debug/buffs", address)
	}
	at.RawQuery, at.Fragment = "", ""
	s.game = &game{url: at.String(), token: token, client: http.Client{Timeout: 10 * time.Second}}
	return nil
}

// gameRequest is a call of the live page.
type gameRequest struct {
	Player string `json:"player"` // reads a player
	Search string `json:"search"` // searches players by name
	Reload bool   `json:"reload"` // the game reads its definitions again
}

// maxGame bounds an answer of the live page.
const maxGame = 4 << 20

func (g *game) call(ctx context.Context, body []byte) (any, error) {
	var r gameRequest
	if g == nil {
		return nil, errors.New("no game: start bufftick studio with -attach URL")
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	switch {
	case r.Reload:
		return g.ask(ctx, http.MethodPost, "act", `{"act":"reload"}`)
	case r.Search != "":
		return g.ask(ctx, http.MethodGet, "search="+url.QueryEscape(r.Search), "")
	}
	return g.ask(ctx, http.MethodGet, "player="+url.QueryEscape(r.Player), "")
}

func (g *game) ask(ctx context.Context, method, query, body string) (any, error) {
	req, err := http.NewRequestWithContext(ctx, method, g.url+"?"+query, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if g.token != "" {
		req.Header.Set("Authorization", "Bearer "+g.token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the game does not answer: %w", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxGame))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 {
		return nil, fmt.Errorf("the game answers: %s", bytes.TrimSpace(text))
	}
	if !json.Valid(text) {
		return nil, errors.New("the answer of the game is not JSON: is this the address of its live page?")
	}
	return json.RawMessage(text), nil
}
