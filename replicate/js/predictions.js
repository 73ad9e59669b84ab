// node predictions.js FILE: checks predictions against the cases in FILE.
import { readFileSync } from "node:fs";
import { Client, left } from "./client.js";
import { Predictor } from "./predict.js";
import { checkPredictions } from "./check.js";

const cases = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log(`${checkPredictions({ Client, Predictor, left }, cases)} cases`);
