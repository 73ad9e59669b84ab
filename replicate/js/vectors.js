// node vectors.js FILE: checks the client against lists of messages. FILE holds one list, or
// one list on each line.
import { readFileSync } from "node:fs";
import * as client from "./client.js";
import { check } from "./check.js";

const file = readFileSync(process.argv[2]);

// lists parses one list at a time, because a file may have hundreds of megabytes.
function* lists() {
  if (!file.subarray(0, 2).equals(Buffer.from("[{"))) yield JSON.parse(file);
  else for (let at = 0, end; (end = file.indexOf("\n", at)) >= 0; at = end + 1) yield JSON.parse(file.toString("utf8", at, end));
}

console.log(`${check(client, lists())} messages`);
