/** A pause in the examples of both services. */
const subject = { scope: "chain", chainId: 8453 }
const reason = "sequencer is down"

export const changeExample = { subject, state: "paused", reason }

export const pauseExample = {
  subject,
  state: "paused",
  configured: "running",
  chosen: { state: "paused", actor: "admin-token", reason, sinceMs: 1767225600000 }
}
