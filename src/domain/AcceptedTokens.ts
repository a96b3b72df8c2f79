/** Bearer tokens that a service accepts: the current one, and former ones until they are removed or until a date. */
import { Redacted, Result } from "effect"

export interface FormerToken {
  readonly token: Redacted.Redacted
  /** UNIX milliseconds from which the token is refused. Absent: until it is removed. */
  readonly untilMs?: number
}

export interface AcceptedTokens {
  readonly current: Redacted.Redacted
  readonly former: ReadonlyArray<FormerToken>
}

const DATED = /^(.*)@([0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?Z)?)$/

const secret = (text: string, label: string) => Redacted.make(text, { label })

const refused = (problem: string): Result.Result<never, string> => Result.fail(problem)

/** Parses one former token, such as `abc` or `abc@2026-12-01`. A date without a time is its first moment in UTC. */
const parseFormer = (text: string, label: string): Result.Result<FormerToken, string> => {
  const [, token, date] = DATED.exec(text) ?? []
  if (token === undefined || date === undefined) return Result.succeed({ token: secret(text, label) })
  const untilMs = Date.parse(date)
  if (token === "" || Number.isNaN(untilMs))
    return refused("has a former token without text, or with an impossible date")
  return Result.succeed({ token: secret(token, label), untilMs })
}

/**
 * Parses a comma-separated list of tokens, the current one first. The problem never quotes the text. A list without tokens is undefined.
 */
export const parse = (text: string, label: string): Result.Result<AcceptedTokens | undefined, string> => {
  const [first, ...rest] = text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")
  if (first === undefined) return Result.succeed(undefined)
  if (DATED.test(first))
    return refused("has a date at its first token, which is the current one. Only former tokens end")
  const former: Array<FormerToken> = []
  for (const each of rest) {
    const parsed = parseFormer(each, label)
    if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
    former.push(parsed.success)
  }
  return Result.succeed({ current: secret(first, label), former })
}

/** Tokens that are accepted at a time. */
export const acceptedAt = ({ current, former }: AcceptedTokens, nowMs: number): ReadonlyArray<Redacted.Redacted> => [
  current,
  ...former.filter(({ untilMs = Number.POSITIVE_INFINITY }) => nowMs < untilMs).map(({ token }) => token)
]
