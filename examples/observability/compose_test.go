package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

// read parses a YAML file in this folder.
func read(t *testing.T, name string, to any) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, to), name)
}

// TestCompose checks that the files that compose.yaml mounts into the containers exist, and that
// references between these files use the mounted paths.
func TestCompose(t *testing.T) {
	var compose struct {
		Services map[string]struct {
			Image, Network string
			Volumes        []string
		}
	}
	read(t, "compose.yaml", &compose)
	// For each service, map the path of a file in the container to its path in this folder.
	places := map[string]map[string]string{}
	for name, s := range compose.Services {
		places[name] = map[string]string{}
		require.Regexp(t, `^[a-z/]+:v?\d+\.\d+\.\d+$`, s.Image, "a version that stays what it is")
		for _, v := range s.Volumes {
			parts := strings.Split(v, ":")
			require.Len(t, parts, 3, v)
			require.Equal(t, "ro", parts[2], v)
			_, err := os.Stat(filepath.FromSlash(parts[0]))
			require.NoError(t, err, v)
			places[name][parts[1]] = parts[0]
		}
	}

	var prometheus struct {
		Rules  []string `yaml:"rule_files"`
		Scrape []struct {
			Path    string                       `yaml:"metrics_path"`
			Statics []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	require.Equal(t, "./prometheus.yaml", places["prometheus"]["/etc/prometheus/prometheus.yml"])
	read(t, "prometheus.yaml", &prometheus)
	for _, rules := range prometheus.Rules {
		require.Equal(t, "../../contrib/prom/alerts.yaml", places["prometheus"][rules])
	}
	require.Equal(t, "/metrics", prometheus.Scrape[0].Path)
	require.Equal(t, []string{"127.0.0.1:6060"}, prometheus.Scrape[0].Statics[0].Targets, "where -addr serves by default")

	var boards struct {
		Providers []struct {
			Options struct{ Path string }
		}
	}
	read(t, "grafana/dashboards/bufftick.yaml", &boards)
	require.Equal(t, "../../contrib/prom/dashboard.json", places["grafana"][boards.Providers[0].Options.Path+"/bufftick.json"])
	var sources struct {
		Datasources []struct{ Type, URL string }
	}
	read(t, "grafana/datasources/prometheus.yaml", &sources)
	require.Equal(t, "prometheus", sources.Datasources[0].Type)
	require.Equal(t, "http://127.0.0.1:9090", sources.Datasources[0].URL)
	require.Equal(t, "./grafana/dashboards", places["grafana"]["/etc/grafana/provisioning/dashboards"])
	require.Equal(t, "./grafana/datasources", places["grafana"]["/etc/grafana/provisioning/datasources"])
}
