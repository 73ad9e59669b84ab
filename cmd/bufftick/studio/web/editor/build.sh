#!/usr/bin/env bash
# Makes ../page/codemirror.js and the list of licences from the versions in package-lock.json. It
# needs npm. The same versions give the same bytes, whose hash a test checks.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$here"/package*.json "$here"/entry.js "$tmp"
cd "$tmp"
npm ci --no-audit --no-fund
npx esbuild entry.js --bundle --minify --format=esm --target=es2022 --legal-comments=none --outfile=codemirror.js
{
	echo "codemirror.js contains these packages. Their licence is MIT:"
	for p in @codemirror/* @lezer/* @marijn/* crelt style-mod w3c-keyname; do
		for dir in node_modules/$p; do
			[ ! -f "$dir/LICENSE" ] || node -p "const p = require('./$dir/package.json'); if (p.license !== 'MIT') throw p.name; '- ' + p.name + ' ' + p.version"
		done
	done
	echo
	cat node_modules/@codemirror/view/LICENSE
} >LICENSES.txt
mv codemirror.js "$here/../page/codemirror.js"
mv LICENSES.txt "$here/../page/codemirror.LICENSES.txt"
sha256sum "$here/../page/codemirror.js"
