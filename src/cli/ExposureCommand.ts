/** `./sweep exposure`: shows what the relayer lost and what its budgets are, over the orchestrator's operator routes. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { ExposureReport } from "../domain/ExposureReport.ts"
import * as OrchestratorClient from "./OrchestratorClient.ts"
import { json, printed } from "./Output.ts"
import { table } from "./Table.ts"

const budgetRow = (budget: ExposureReport["budgets"][number]): ReadonlyArray<string> => [
  budget.name,
  budget.scope,
  String(budget.lostHour),
  String(budget.budgetHour),
  String(budget.lostDay),
  budget.budgetDay === undefined ? "–" : String(budget.budgetDay),
  String(budget.reserved)
]

const classRow = (each: ExposureReport["classes"][number]): ReadonlyArray<string> => [
  String(each.chainId),
  each.scope,
  each.kind,
  each.value === "" ? "–" : each.value,
  String(each.lostHour),
  String(each.lostDay),
  String(each.earnedDay),
  String(each.reserved)
]

const BUDGET_HEADER = ["CHAIN", "TOKENS", "LOST HOUR", "BUDGET HOUR", "LOST DAY", "BUDGET DAY", "RESERVED"]

const CLASS_HEADER = ["CHAIN", "TOKENS", "KIND", "VALUE", "LOST HOUR", "LOST DAY", "EARNED DAY", "RESERVED"]

const shown = ({ budgets, classes }: ExposureReport): string =>
  [
    table(BUDGET_HEADER, budgets.map(budgetRow), "no chains"),
    table(CLASS_HEADER, classes.map(classRow), "no losses and no reservations")
  ].join("\n\n")

export const exposureCommand = Command.make("exposure", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { explained, operator } = yield* OrchestratorClient.connect
    yield* printed(ExposureReport, yield* explained(operator.exposure()), json, shown)
  })
).pipe(
  Command.withDescription("Show what sweeps cost the relayer above their fees, in wei, and the budgets for it"),
  Command.withExamples([{ command: "sweep exposure", description: "List budgets and the classes that lost most" }])
)
