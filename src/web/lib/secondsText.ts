/** `1 second`, `8 seconds`. */
export const secondsText = (seconds: number): string => (seconds === 1 ? "1 second" : `${seconds} seconds`)
