/** Rules of an intent's life: its states, and what proves that it settled or failed. */
import type { Mutant } from "../Mutant.ts"

const INTENT = "src/domain/Intent.ts"
const SWEPT = "src/domain/Swept.ts"
const VERDICT = "src/domain/SweepVerdict.ts"

export const transitions: ReadonlyArray<Mutant> = [
  {
    name: "an intent is submitted twice",
    file: INTENT,
    text: 'Submitted: { from: ["quoted"]',
    replacement: 'Submitted: { from: ["quoted", "submitted"]',
    tests: ["test/domain/Intent.test.ts"]
  },
  {
    name: "an intent is delivered without being settled",
    file: INTENT,
    text: 'Delivered: { from: ["settled_source"]',
    replacement: 'Delivered: { from: ["submitted", "settled_source"]',
    tests: ["test/domain/Intent.test.ts"]
  },
  {
    name: "a delivered intent fails",
    file: INTENT,
    text: 'Failed: { from: ["submitted", "settled_source"]',
    replacement: 'Failed: { from: ["submitted", "settled_source", "delivered"]',
    tests: ["test/domain/Intent.test.ts"]
  },
  {
    name: "a settlement is booked while it may still vanish",
    file: VERDICT,
    text: 'if (evidence.settlement === "recent") return { _tag: "Wait" }',
    replacement: 'if (evidence.settlement === "recent") return { _tag: "Settle" }',
    tests: ["test/domain/SweepVerdict.test.ts"]
  },
  {
    name: "a settled sweep fails since its nonce is spent",
    file: VERDICT,
    text: 'if (evidence.settlement === "final") return { _tag: "Settle" }',
    replacement: "",
    tests: ["test/domain/SweepVerdict.test.ts"]
  },
  {
    name: "a sweep whose nonce was spent is sent again",
    file: VERDICT,
    text: 'if (evidence.nonce === "used_otherwise") return { _tag: "Fail", reason: "nonce_used" }',
    replacement: "",
    tests: ["test/domain/SweepVerdict.test.ts"]
  },
  {
    name: "a sweep fails since its event is not visible yet",
    file: VERDICT,
    text: 'if (evidence.nonce === "spender_unseen") return { _tag: "Wait" }',
    replacement: 'if (evidence.nonce === "spender_unseen") return { _tag: "Fail", reason: "nonce_used" }',
    tests: ["test/domain/SweepVerdict.test.ts"]
  },
  {
    name: "a sweep that reverted fails while anybody can still send it",
    file: VERDICT,
    text: '{ _tag: "GiveUp", reason }',
    replacement: '{ _tag: "Fail", reason }',
    tests: ["test/domain/SweepVerdict.test.ts"]
  },
  {
    name: "a nonce is read from whichever block the node has at a height",
    file: "src/orchestrator/settle/Evidence.ts",
    text: "order.owner, word, { hash }, guard)",
    replacement: 'order.owner, word, "latest", guard)',
    tests: ["test/orchestrator/settle/Evidence.test.ts"]
  },
  {
    name: "a nonce counts as unused by a newest block that may have lost its place",
    file: "src/orchestrator/settle/Evidence.ts",
    text: "[view.head, ...confirmed].map(",
    replacement: "[view.head].map(",
    tests: ["test/orchestrator/watch/Unsettled.test.ts"]
  },
  {
    name: "a nonce counts as unused if the node does not have the newest block's state",
    file: "src/orchestrator/settle/Evidence.ts",
    text: "failure.isContradiction === true ? Effect.fail(failure) : Effect.succeed(false)",
    replacement: "failure.isContradiction === true ? Effect.fail(failure) : Effect.succeed(true)",
    tests: ["test/orchestrator/watch/Unsettled.test.ts"]
  },
  {
    name: "a settlement under the first generation's guard is not looked for",
    file: "src/domain/Generations.ts",
    text: "own === first ? [own] : [own, first]",
    replacement: "[own]",
    tests: ["test/orchestrator/settle/Generations.test.ts", "test/domain/Generations.test.ts"]
  },
  {
    name: "an event on another branch says who spent a nonce",
    file: "src/orchestrator/settle/SweptEvents.ts",
    text: "Option.exists(({ hash }) => hash === blockHash)",
    replacement: "Option.exists(({ hash }) => hash === blockHash || true)",
    tests: ["test/orchestrator/settle/Evidence.test.ts"]
  },
  {
    name: "an expired sweep is sent again",
    file: VERDICT,
    text: 'if (evidence.expired) return { _tag: "Fail", reason: reason ?? "expired" }',
    replacement: 'if (evidence.expired && reason !== undefined) return { _tag: "Fail", reason }',
    tests: ["test/domain/SweepVerdict.test.ts"]
  },
  {
    name: "an event with another fee settles an order",
    file: SWEPT,
    text: "event.feeAmount === order.feeAmount &&",
    replacement: "",
    tests: ["test/domain/Swept.test.ts"]
  },
  {
    name: "an event with less than the minimum output settles an order",
    file: SWEPT,
    text: "event.amountOut >= order.minAmountOut &&",
    replacement: "",
    tests: ["test/domain/Swept.test.ts"]
  },
  {
    name: "an event of another order settles an order",
    file: SWEPT,
    text: "event.orderHash === orderHash &&",
    replacement: "",
    tests: ["test/domain/Swept.test.ts"]
  },
  {
    name: "a block counts one confirmation too early",
    file: "src/orchestrator/shared/ChainView.ts",
    text: "(block) => block.number >= blockNumber",
    replacement: "(block) => block.number + 1n >= blockNumber",
    tests: ["test/orchestrator/shared/ChainView.test.ts"]
  },
  {
    name: "an intent moves out of a status in which its events are illegal",
    file: "src/adapters/sql/orchestrator/IntentMoves.ts",
    text: "from: legalFrom(events),",
    replacement: 'from: ["quoted", "submitted", "settled_source", "delivered", "failed"],',
    tests: ["test/adapters/sql/orchestrator/Intents.test.ts"]
  }
]
