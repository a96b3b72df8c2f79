/** Texts about sweeps for operators. */
import type { IntentStatus } from "../../../domain/Intent.ts"
import type { WaitsFor } from "../../../domain/StuckIntent.ts"
import type { Tone } from "../../ui/Badge.tsx"

const STATUS: Readonly<Record<IntentStatus, readonly [label: string, tone: Tone]>> = {
  quoted: ["Quoted", "neutral"],
  submitted: ["Submitted", "warn"],
  settled_source: ["Settled", "accent"],
  delivered: ["Delivered", "good"],
  failed: ["Failed", "bad"]
}

export const statusOf = (status: IntentStatus): readonly [label: string, tone: Tone] => STATUS[status]

/** Cause of a wait, in words. */
export const WAITS: Readonly<Record<WaitsFor, string>> = {
  operator: "An operator",
  chain: "A chain's node",
  lane: "A lane",
  owner: "Its owner's turn",
  lease: "Its relayer",
  rest: "Its next try",
  gas_price: "A lower price of gas",
  relayer: "A relayer",
  broadcast: "A node to take it",
  inclusion: "A block",
  confirmation: "Confirmations",
  expiry: "Its end",
  delivery: "Delivery"
}
