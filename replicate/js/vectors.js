// node vectors.js FILE: checks the client against lists of messages. FILE holds one list, or
// one list on each line.
import { readFileSync } from "node:fs";
import * as client from "./client.js";
import { check } from "./check.js";

const text = readFileSync(process.argv[2], "utf8");
const lists = text.startsWith("[{") ? text.trim().split("\n") : [text];
console.log(`${check(client, lists.map((list) => JSON.parse(list)))} messages`);
