/** Rules of sweeps of many tokens under one signature. */
import type { Mutant } from "../Mutant.ts"

const INTAKE = "src/orchestrator/intake/SweepIntake.ts"
const CHECKS = "src/orchestrator/intake/SweepChecks.ts"
const INTAKE_TEST = "test/orchestrator/intake/SweepIntake.test.ts"
const LEGS_TEST = "test/orchestrator/relay/Legs.test.ts"

export const sweeps: ReadonlyArray<Mutant> = [
  {
    name: "a batch that somebody else signed is accepted",
    file: CHECKS,
    text: "if (Option.getOrUndefined(signer) !== owner) {",
    replacement: "if (Option.isNone(signer)) {",
    tests: [INTAKE_TEST]
  },
  {
    name: "a sweep has orders of several owners",
    file: INTAKE,
    text: "intent.order.owner !== first.intent.order.owner)",
    replacement: "intent.order.owner !== first.intent.order.owner && false)",
    tests: [INTAKE_TEST]
  },
  {
    name: "an account that does not run the delegate needs no authorization",
    file: CHECKS,
    text: 'if (account._tag === "Delegated" && account.delegate === delegate) return',
    replacement: 'if (account._tag !== "Contract") return',
    tests: [INTAKE_TEST]
  },
  {
    name: "an authorization that somebody else signed is accepted",
    file: CHECKS,
    text: "if (Option.getOrUndefined(authority) === owner) return",
    replacement: "if (Option.isSome(authority)) return",
    tests: [INTAKE_TEST]
  },
  {
    name: "a refused sweep keeps its budget reserved",
    file: "src/orchestrator/intake/Reserving.ts",
    text: "Exit.isSuccess(exit) ? Effect.void : release",
    replacement: "Exit.isSuccess(exit) ? release : Effect.void",
    tests: ["test/orchestrator/intake/Releases.test.ts"]
  },
  {
    name: "the end of a submission ends the flight of another one",
    file: "src/adapters/sql/orchestrator/BridgeFlights.ts",
    text: "${text(holder)} = ANY(f.holders)`",
    replacement: "${text(holder)} IS NOT NULL`",
    tests: ["test/adapters/sql/orchestrator/BridgeFlights.test.ts"]
  },
  {
    name: "the end of a submission ends the reservation of another one",
    file: "src/adapters/sql/orchestrator/Exposures.ts",
    text: "${text(holder)} = ANY(e.holders)`",
    replacement: "${text(holder)} IS NOT NULL`",
    tests: ["test/adapters/sql/orchestrator/Exposures.test.ts"]
  },
  {
    name: "a sweep is stored without one of its legs",
    file: "src/adapters/sql/orchestrator/Sweeps.ts",
    text: "if (other === undefined) return",
    replacement: "if (other === undefined || submitted.size > 0) return",
    tests: ["test/adapters/sql/orchestrator/Intents.test.ts"]
  },
  {
    name: "a call that ran no leg counts as a sweep that would settle",
    file: "src/orchestrator/relay/AccountCall.ts",
    text: "BigInt(returned) === 1n",
    replacement: "BigInt(returned) >= 0n",
    tests: [LEGS_TEST]
  },
  {
    name: "a leg gets less gas than its quote fixed",
    file: "src/domain/RelayGas.ts",
    text: "(sum, limit) => sum + limit + BATCH_CALL_GAS, 0n)",
    replacement: "(sum) => sum + BATCH_CALL_GAS, 0n)",
    tests: [LEGS_TEST, "test/domain/RelayGas.test.ts"]
  },
  {
    name: "a sweep of native currency runs before others of its account",
    file: "src/domain/SweepGroups.ts",
    text: "return [...signed(others, placeOf), ...signed(sweeps.filter(isNative), placeOf)]",
    replacement: "return [...signed(sweeps.filter(isNative), placeOf), ...signed(others, placeOf)]",
    tests: ["test/domain/SweepGroups.test.ts"]
  },
  {
    name: "one call runs legs that do not stand next to each other",
    file: "src/domain/SweepGroups.ts",
    text: "before.batch.leg + 1 === after.batch.leg",
    replacement: "before.batch.leg < after.batch.leg",
    tests: ["test/domain/SweepGroups.test.ts"]
  },
  {
    name: "legs of a sweep are claimed one by one",
    file: "migrations/orchestrator/0067_resting_intents.ts",
    text: "free.intent_id || array_agg(intent_id) AS ids FROM sibling",
    replacement: "ARRAY[free.intent_id] AS ids FROM sibling",
    tests: ["test/adapters/sql/orchestrator/Intents.test.ts"]
  },
  {
    name: "a second transaction of an account is allocated once one of the first one's legs has ended",
    file: "migrations/orchestrator/0065_linear_triggers.ts",
    text: "WHERE l.active AND l.account = ANY(accounts)",
    replacement: "WHERE l.active AND l.account = ANY(accounts) AND false",
    tests: ["test/adapters/sql/orchestrator/RelayTransactions.test.ts"]
  },
  {
    name: "a leg that the mined version leaves out counts as one that failed",
    file: "src/orchestrator/relay/Envelope.ts",
    text: "nonces.has(`${owner}:${nonce}`)",
    replacement: "nonce >= 0n && [...nonces].some((key) => key.startsWith(owner))",
    tests: ["test/orchestrator/relay/LegVersions.test.ts"]
  },
  {
    name: "legs beyond the room of a transaction are dropped",
    file: "src/domain/BatchComposition.ts",
    text: "left.push(...group.slice(taken.length))",
    replacement: "left.push(...group.slice(group.length))",
    tests: ["test/domain/BatchComposition.test.ts"]
  },
  {
    name: "a mint of CCTP counts as a delivery by Relay",
    file: "src/adapters/bridge/ProvedArrival.ts",
    text: "messengers.some(({ address }) => CctpMessage.isMint(log, address))",
    replacement: "messengers.length < 0",
    tests: ["test/adapters/bridge/RelayDelivery.test.ts"]
  }
]
