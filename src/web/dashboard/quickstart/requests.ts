/** Code that sends requests to the service, and repeats those that have no final answer. */
export const REQUESTS = `const pause = (seconds = 3) => new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(Math.max(seconds, 3), 60)))
const ask = (path, init) => fetch(sweep + path, { ...init, signal: AbortSignal.timeout(30_000) }).catch(() => undefined)

// Undefined for what is not of the service: a gateway may answer with a page.
const parsed = (text) => {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}

// Repeats a request that has no final answer. The key makes all attempts one request to the service.
const post = async (path, body) => {
  const init = { method: "POST", headers: { "idempotency-key": crypto.randomUUID() }, body: JSON.stringify(body) }
  let advice = ""
  for (let sent = 1; ; sent++) {
    const response = await ask(path, init)
    const text = await response?.text().catch(() => undefined)
    const result = response?.ok ? parsed(text) : undefined
    if (result !== undefined) return result
    const isUnanswered = text === undefined || response.ok || response.status >= 500
    // After 409, an earlier attempt is still in progress.
    if ((isUnanswered || response.status === 409) && body.quoteId) {
      advice = \`; it may be submitted: look at GET /intents/\${body.quoteId} before you sign again\`
    }
    const isFinal = !isUnanswered && ![409, 429].includes(response.status)
    const answer = text === undefined ? "no answer" : \`\${response.status} \${text}\`
    if (isFinal || sent === 5) throw new Error(\`\${path}: \${answer}\${advice}\`)
    await pause(Number(response?.headers.get("retry-after")) || 3)
  }
}`
