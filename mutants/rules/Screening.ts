/** Rules of who may be served: sanctions screening, owners' signatures, budgets, and limits. */
import type { Mutant } from "../Mutant.ts"

const ADMISSION = "src/orchestrator/quote/Admission.ts"
const CLEARANCE = "src/orchestrator/relay/Clearance.ts"
const INTAKE = "src/orchestrator/intake/Intake.ts"

export const screening: ReadonlyArray<Mutant> = [
  {
    name: "a quote does not screen the destination",
    file: ADMISSION,
    text: "[owner, destination]",
    replacement: "[owner]",
    tests: ["test/orchestrator/quote/Quoter.screening.test.ts"]
  },
  {
    name: "a quote does not screen the owner",
    file: ADMISSION,
    text: "[owner, destination]",
    replacement: "[destination]",
    tests: ["test/orchestrator/quote/Quoter.screening.test.ts"]
  },
  {
    name: "a quote whose route names its chain ignores the screening",
    file: ADMISSION,
    text: "yield* Effect.fromResult(screened)",
    replacement: "yield* Effect.void",
    tests: ["test/orchestrator/quote/Quoter.screening.test.ts"]
  },
  {
    name: "a quote is screened on the chain that was expected to be its source",
    file: ADMISSION,
    text: "const isEarly = on.chain.id === guess.chain.id",
    replacement: "const isEarly = on.chain.id > 0",
    tests: ["test/orchestrator/quote/Quoter.screening.test.ts"]
  },
  {
    name: "a sweep to a destination that burns the output is quoted",
    file: "src/orchestrator/quote/RequestRefused.ts",
    text: "...(burns ? [BURNING] : [])",
    replacement: "...(burns && false ? [BURNING] : [])",
    tests: ["test/orchestrator/quote/Quoter.refusals.test.ts"]
  },
  {
    name: "a builder's payout address is not screened",
    file: "src/orchestrator/quote/Attributing.ts",
    text: "if (blocked) {",
    replacement: "if (blocked && false) {",
    tests: ["test/orchestrator/quote/Attributing.test.ts"]
  },
  {
    name: "a submission does not screen the builder",
    file: INTAKE,
    text: "order.builder === zero ? parties : [...parties, order.builder]",
    replacement: "order.builder === zero ? parties : parties",
    tests: ["test/orchestrator/intake/Intake.refusals.test.ts"]
  },
  {
    name: "a submission does not screen the destination",
    file: INTAKE,
    text: "const parties = [order.owner, order.destination]",
    replacement: "const parties = [order.owner]",
    tests: ["test/orchestrator/intake/Intake.refusals.test.ts"]
  },
  {
    name: "a quote may be submitted in the moment that it expires",
    file: INTAKE,
    text: "if (nowMs >= quote.expiresAtMs)",
    replacement: "if (nowMs > quote.expiresAtMs)",
    tests: ["test/orchestrator/intake/Intake.refusals.test.ts"]
  },
  {
    name: "an order may be signed by anybody",
    file: INTAKE,
    text: "if (Option.getOrUndefined(signer) !== order.owner)",
    replacement: "if (Option.isNone(signer))",
    tests: ["test/orchestrator/intake/Intake.refusals.test.ts"]
  },
  {
    name: "an authorization may be signed by anybody",
    file: INTAKE,
    text: "if (Option.getOrUndefined(authority) !== order.owner)",
    replacement: "if (Option.isNone(authority))",
    tests: ["test/orchestrator/intake/Intake.refusals.test.ts"]
  },
  {
    name: "a sweep that waited long is not screened again",
    file: CLEARANCE,
    text: "ageOf(nowMs, submittedAtMs) > settings.clearanceLifetimeMillis",
    replacement: "ageOf(nowMs, submittedAtMs) > 1_000 * settings.clearanceLifetimeMillis",
    tests: ["test/orchestrator/relay/Preparation.test.ts"]
  },
  {
    name: "a listed destination of a sweep that waited long does not stop it",
    file: CLEARANCE,
    text: "[order.owner, order.destination, order.builder]",
    replacement: "[order.owner, order.builder]",
    tests: ["test/orchestrator/relay/Preparation.test.ts"]
  },
  {
    name: "an owner's sweeps are sent beyond the failure budget",
    file: "src/orchestrator/relay/Budgets.ts",
    text: "(burned.owners.get(owner) ?? 0) >= failureBudget.owner",
    replacement: "(burned.owners.get(owner) ?? 0) > failureBudget.owner",
    tests: ["test/orchestrator/relay/Budgets.test.ts"]
  },
  {
    name: "a class of sweeps costs more than its budget",
    file: "src/domain/Exposure.ts",
    text: "before + wei <= most",
    replacement: "before <= most",
    tests: ["test/domain/Exposure.test.ts"]
  },
  {
    name: "a reservation overlooks one that another process stores meanwhile",
    file: "src/adapters/sql/orchestrator/ExposureReserving.ts",
    text: " AND s.xmin::text = known.version",
    replacement: "",
    tests: ["test/adapters/sql/orchestrator/Locks.test.ts"]
  },
  {
    name: "first sweeps of one claim reserve more than their budget",
    file: "src/adapters/sql/orchestrator/ExposureReserving.ts",
    text: "known.used + ${total}::numeric <=",
    replacement: "0::numeric <=",
    tests: ["test/adapters/sql/orchestrator/Exposures.test.ts"]
  },
  {
    name: "the release of one claim ends what another claim has reserved",
    file: "src/adapters/sql/orchestrator/ExposureRows.ts",
    text: "sql`cardinality(ending.holders) = 1 AND ${condition}`",
    replacement: "condition",
    tests: ["test/adapters/sql/orchestrator/Exposures.test.ts"]
  },
  {
    name: "an account whose code is a stranger's is paid in the transactions of listed sweeps",
    file: "src/domain/Listing.ts",
    text: "runsOthersCode === true ||",
    replacement: "",
    tests: ["test/domain/Listing.test.ts", "test/orchestrator/relay/OthersCode.test.ts"]
  },
  {
    name: "a sweep into native currency at another account may cost four times what its owner paid",
    file: "src/orchestrator/relay/Reserving.ts",
    text: "const mayRise = !sweeps",
    replacement: "const mayRise = sweeps.length >= 0 || !sweeps",
    tests: ["test/orchestrator/relay/OthersCode.test.ts"]
  },
  {
    name: "sweeps without room in a budget are sent",
    file: "src/orchestrator/relay/Reserving.ts",
    text: "if (denied.has(each.intent.id)) return []",
    replacement: "",
    tests: ["test/orchestrator/relay/Budgets.test.ts", "test/orchestrator/relay/Reserving.test.ts"]
  },
  {
    name: "an account whose owner has paid for nothing is called directly",
    file: "src/orchestrator/relay/Reserving.ts",
    text: "isChecked: index >= paid &&",
    replacement: "isChecked: index < 0 &&",
    tests: ["test/orchestrator/relay/Relayer.test.ts"]
  },
  {
    name: "the account of a first sweep is called directly",
    file: "src/orchestrator/relay/Reserving.ts",
    text: "isChecked: each.pots.length > 0 &&",
    replacement: "isChecked: each.pots.length < 0 &&",
    tests: ["test/orchestrator/relay/Relayer.test.ts"]
  },
  {
    name: "a chain spends its daily cap and more",
    file: "src/orchestrator/relay/Gate.ts",
    text: "spending(chain.id, sinceMs)) < cap",
    replacement: "spending(chain.id, sinceMs)) <= cap",
    tests: ["test/orchestrator/relay/Gate.test.ts"]
  },
  {
    name: "a payout goes to an address that screening does not clear",
    file: "src/builder/payout/PaymentChecks.ts",
    text: "if (blocked.length > 0)",
    replacement: "if (blocked.length > 1_000)",
    tests: ["test/builder/payout/PayoutSender.refusals.test.ts"]
  },
  {
    name: "any bearer token is exempt from the limit of attributions",
    file: "src/server/shared/RateLimiting.ts",
    text: 'Effect.catchTag("Unauthorized", () => Effect.succeed(false))',
    replacement: 'Effect.catchTag("Unauthorized", () => Effect.succeed(true))',
    tests: ["test/server/builder/Access.test.ts"]
  },
  {
    name: "the operator's token is exempt from every limit",
    file: "src/server/shared/RateLimiting.ts",
    text: "&& Context.get(group.annotations, OperatorsUncounted)",
    replacement: "&& (Context.get(group.annotations, OperatorsUncounted) || true)",
    tests: ["test/server/builder/Access.test.ts"]
  },
  {
    name: "the orchestrator's attributions are counted, so that builders earn nothing under load",
    file: "src/api/builder/BuilderApi.ts",
    text: ".annotate(OperatorsUncounted, true)",
    replacement: ".annotate(OperatorsUncounted, false)",
    tests: ["test/server/builder/Access.test.ts"]
  }
]
