package kernelspec_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferlab/inferlab/notebooks/kernelspec"
)

// found is what the doctor says of one thing.
func found(t *testing.T, what string, places ...kernelspec.Place) kernelspec.Finding {
	t.Helper()
	for _, f := range kernelspec.Diagnose(t.Context(), places...) {
		if f.What == what {
			return f
		}
	}
	t.Fatalf("the doctor does not speak of %s", what)
	return kernelspec.Finding{}
}

// shellProgram puts a program that prints text into the environment at prefix.
func shellProgram(t *testing.T, prefix, name, text string) {
	t.Helper()
	bin := filepath.Join(prefix, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho '"+text+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// Where Jupyter looks, in its order: an environment in use goes before the user's
// folder, another Python after it.
func TestPlaces(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("stands a shell script in for python3")
	}
	env := t.TempDir()
	user := kernelspec.Place{DataDir: "/data/jupyter"}
	inEnv := kernelspec.Place{DataDir: filepath.Join(env, "share", "jupyter"), Prefix: env}
	t.Setenv("JUPYTER_DATA_DIR", user.DataDir)
	t.Setenv("CONDA_PREFIX", "")
	shellProgram(t, env, "python3", env)
	tests := []struct {
		name, active, path string
		before             func()
		want               []kernelspec.Place
	}{
		{"an active environment", env, t.TempDir(), func() {}, []kernelspec.Place{inEnv, user}},
		{"no Python", "", t.TempDir(), func() {}, []kernelspec.Place{user}},
		{"a Python on the PATH", "", filepath.Join(env, "bin"), func() {}, []kernelspec.Place{user, inEnv}},
		{"an environment on the PATH", "", filepath.Join(env, "bin"), func() {
			if err := os.WriteFile(filepath.Join(env, "pyvenv.cfg"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, []kernelspec.Place{inEnv, user}},
	}
	for _, tt := range tests {
		tt.before()
		t.Setenv("VIRTUAL_ENV", tt.active)
		t.Setenv("PATH", tt.path)
		got, err := kernelspec.Places(t.Context())
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tt.name, err, diff)
		}
	}
}

// The doctor takes the first place that holds a kernel, and names all that it
// looked into when none does.
func TestDiagnoseFindsPlace(t *testing.T) {
	user := kernelspec.Place{DataDir: t.TempDir()}
	env, err := kernelspec.PrefixPlace(filepath.Join(t.TempDir(), "an environment"))
	if err != nil {
		t.Fatal(err)
	}
	want := kernelspec.Finding{What: "kernel", Status: kernelspec.Missing, Fix: "inferlab kernel install",
		Found: "none in " + kernelspec.Dir(env.DataDir) + ", nor in " + kernelspec.Dir(user.DataDir)}
	if diff := cmp.Diff(want, found(t, "kernel", env, user)); diff != "" {
		t.Errorf("no kernel (-want +got):\n%s", diff)
	}
	dir := kernelspec.Dir(env.DataDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kernel.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	want = kernelspec.Finding{What: "kernel", Status: kernelspec.Missing, Found: dir + "/kernel.json starts nothing",
		Fix: "inferlab kernel install --prefix '" + env.Prefix + "'"}
	for _, places := range [][]kernelspec.Place{{env}, {user, env}} {
		if diff := cmp.Diff(want, found(t, "kernel", places...)); diff != "" {
			t.Errorf("a kernel in the environment (-want +got):\n%s", diff)
		}
	}
}

// The Jupyter that counts is that of the kernel's environment, and the command
// jupyter alone opens no notebook.
func TestDiagnoseJupyter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("stands shell scripts in for Jupyter")
	}
	other := t.TempDir()
	shellProgram(t, other, "jupyter-lab", "9.9.9")
	t.Setenv("PATH", filepath.Join(other, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	place, err := kernelspec.PrefixPlace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(place.Prefix, "bin")
	const without = "; `inferlab notebook run` does without it"
	fix := bin + "/python -m pip install jupyterlab, or inferlab lab, which sets JupyterLab up in an environment of its own"
	expect := func(status kernelspec.Status, found, fix string, got kernelspec.Finding) {
		t.Helper()
		if diff := cmp.Diff(kernelspec.Finding{What: "Jupyter", Status: status, Found: found, Fix: fix}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	expect(kernelspec.Lacking, "JupyterLab is not in "+place.Prefix+without, fix, found(t, "Jupyter", place))
	shellProgram(t, place.Prefix, "jupyter", "Selected Jupyter core packages...")
	expect(kernelspec.Lacking, "JupyterLab is not in "+place.Prefix+", though the command jupyter is in "+bin+without, fix, found(t, "Jupyter", place))
	shellProgram(t, place.Prefix, "jupyter-lab", "4.4.1")
	expect(kernelspec.OK, "jupyter-lab 4.4.1 in "+bin, "", found(t, "Jupyter", place))
	expect(kernelspec.OK, "jupyter-lab 9.9.9 in "+filepath.Join(other, "bin"), "", found(t, "Jupyter", kernelspec.Place{DataDir: t.TempDir()}))
}
