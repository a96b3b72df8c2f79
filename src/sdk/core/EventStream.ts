/** Server-sent events (WHATWG HTML, "Server-sent events"), as far as `GET /intents/:id/events` uses them. Pure. */

/** Timeout of a silent stream, in milliseconds. A stream that sends nothing for 20 seconds, not even a comment, is broken. */
export const SILENCE_MILLIS = 20_000

/** True if a response has an event stream as its body. */
export const isEventStream = (status: number, contentType: string | null | undefined): boolean =>
  status === 200 && contentType?.startsWith("text/event-stream") === true

/** Makes a function that takes the stream's text in pieces and returns the data of the events that each piece completes. */
export const makeEventReader = (): ((text: string) => ReadonlyArray<string>) => {
  let rest = ""
  let data: Array<string> = []
  return (text) => {
    // A carriage return at the end of a piece may be the first half of a line break.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ""
    const events: Array<string> = []
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""))
      else if (line === "" && data.length > 0) {
        events.push(data.join("\n"))
        data = []
      }
    }
    return events
  }
}

/**
 * Makes a reader of the states of one intent. Events that are malformed or about another intent are skipped.
 *
 * @param decode - returns undefined, or throws, for a value that is not an intent
 */
export const makeStateReader = <State extends { readonly id: string }>(
  id: string,
  decode: (value: unknown) => State | undefined
): ((text: string) => ReadonlyArray<State>) => {
  const read = makeEventReader()
  return (text) =>
    read(text).flatMap((data) => {
      try {
        const state = decode(JSON.parse(data))
        // The service returns ids in lower case, and takes them in any.
        return state?.id.toLowerCase() === id.toLowerCase() ? [state] : []
      } catch {
        return []
      }
    })
}
