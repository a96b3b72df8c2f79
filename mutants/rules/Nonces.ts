/** Rules of nonces: those of orders, of owners' accounts and of the relayer's lanes. */
import type { Mutant } from "../Mutant.ts"

const CHOICE = "src/domain/AuthorizationChoice.ts"
const ORDER_NONCE = "src/domain/OrderNonce.ts"
const PLAN = "src/orchestrator/watch/Plan.ts"
const ALLOCATION = "migrations/orchestrator/0066_claims_and_allocations.ts"

export const nonces: ReadonlyArray<Mutant> = [
  {
    name: "a spent nonce is offered again",
    file: ORDER_NONCE,
    text: "if ((bitmap & position(nonce).mask) === 0n) return nonce",
    replacement: "if ((bitmap & position(nonce).mask) !== 0n) return nonce",
    tests: ["test/domain/OrderNonce.test.ts"]
  },
  {
    name: "the last nonce of a word belongs to the next word",
    file: ORDER_NONCE,
    text: "word: nonce / BITS,",
    replacement: "word: (nonce + 1n) / BITS,",
    tests: ["test/domain/OrderNonce.test.ts"]
  },
  {
    name: "a quote does not look on chain whether its nonce is free",
    file: "src/orchestrator/quote/OrderNonces.ts",
    text: "if ((bitmap & mask) === 0n) return nonce",
    replacement: "if (bitmap !== undefined && mask > 0n) return nonce",
    tests: ["test/orchestrator/quote/OrderNonces.test.ts"]
  },
  {
    name: "an owner's order nonce is issued twice",
    file: "src/adapters/sql/orchestrator/Intents.ts",
    text: "DO UPDATE SET next_nonce = greatest(o.next_nonce, ${String(atLeast)}::numeric) + ${count}::integer",
    replacement: "DO UPDATE SET next_nonce = greatest(o.next_nonce, ${String(atLeast)}::numeric)",
    tests: ["test/adapters/sql/orchestrator/Intents.test.ts"]
  },
  {
    name: "an authorization that is used up is attached",
    file: CHOICE,
    text: "if (names && authorization.nonce === accountNonce.pending)",
    replacement: "if (names && authorization.nonce <= accountNonce.pending)",
    tests: ["test/domain/AuthorizationChoice.test.ts"]
  },
  {
    name: "an authorization for another chain is attached",
    file: CHOICE,
    text: "authorization.chainId === chainId && authorization.address === delegate",
    replacement: "authorization.address === delegate",
    tests: ["test/domain/AuthorizationChoice.test.ts"]
  },
  {
    name: "a lane's nonce is given to two transactions",
    file: ALLOCATION,
    text: "VALUES (of_chain, of_lane, signed_nonce + 1)",
    replacement: "VALUES (of_chain, of_lane, signed_nonce)",
    tests: ["test/adapters/sql/orchestrator/RelayTransactions.test.ts"]
  },
  {
    name: "a lane's nonce may lie behind the chain's",
    file: ALLOCATION,
    text: "SELECT greatest(l.next_nonce, chain_nonce) INTO free_nonce",
    replacement: "SELECT l.next_nonce INTO free_nonce",
    tests: ["test/adapters/sql/orchestrator/RelayTransactions.test.ts"]
  },
  {
    name: "an owner's second sweep is claimed while the first is on its way",
    file: "migrations/orchestrator/0067_resting_intents.ts",
    text: "WHERE l.active AND l.account = c.account",
    replacement: "WHERE l.active AND l.account = c.account AND false",
    tests: ["test/adapters/sql/orchestrator/Intents.test.ts"]
  },
  {
    name: "a transaction is given up while its nonce may still be its own",
    file: PLAN,
    text: "if (laneNonce.confirmed > nonce)",
    replacement: "if (laneNonce.latest > nonce)",
    tests: ["test/orchestrator/watch/Plan.test.ts"]
  },
  {
    name: "a transaction is given up while its receipt is late",
    file: PLAN,
    text: "nowMs - displaced.sinceMs >= DISPLACED_MILLIS",
    replacement: "nowMs >= displaced.sinceMs",
    tests: ["test/orchestrator/watch/Plan.test.ts"]
  },
  {
    name: "a transaction is given up while too few endpoints answer for its receipt",
    file: "src/orchestrator/watch/Observing.ts",
    text: "const isLost = isForGood(displaced.get(id), nowMs)",
    replacement: "const isLost = isForGood(undefined, nowMs)",
    tests: ["test/orchestrator/watch/Observing.test.ts"]
  },
  {
    name: "a late receipt is booked twice",
    file: "src/adapters/sql/orchestrator/RelayEndings.ts",
    text: "status = 'final' AND included_hash IS NULL\n        RETURNING",
    replacement: "status = 'final'\n        RETURNING",
    tests: ["test/adapters/sql/orchestrator/RelayTransactions.test.ts"]
  },
  {
    name: "a reorganisation leaves the cost of what it removed in the books",
    file: "src/adapters/sql/orchestrator/RelayEndings.ts",
    text: "SET wei = s.wei - booked.wei",
    replacement: "SET wei = s.wei",
    tests: ["test/adapters/sql/orchestrator/RelayTransactions.test.ts"]
  },
  {
    name: "a transaction behind another nonce of its lane is replaced",
    file: PLAN,
    text: "const isNext = laneNonce.latest === nonce",
    replacement: "const isNext = laneNonce.latest <= nonce",
    tests: ["test/orchestrator/watch/Plan.test.ts"]
  },
  {
    name: "a second version of a payout takes a new account nonce",
    file: "src/builder/payout/PaymentPlan.ts",
    text: '{ _tag: "Sign", nonce: newest.nonce, fees, replaces: newest }',
    replacement: '{ _tag: "Sign", nonce: newest.nonce + 1n, fees, replaces: newest }',
    tests: ["test/builder/payout/PaymentPlan.test.ts"]
  }
]
