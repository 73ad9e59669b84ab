// node vectors.js FILE: holds the client against lists of messages. Each line of the file is a list of its own, or
// the whole file is one.
import { readFileSync } from "node:fs";
import { check } from "./check.js";

const text = readFileSync(process.argv[2], "utf8");
const lists = text.startsWith("[{") ? text.trim().split("\n") : [text];
console.log(`${check(lists.map((list) => JSON.parse(list)))} messages`);
