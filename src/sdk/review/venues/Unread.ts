/** Warning of the review about a call whose inner part only an aggregator understands. */
export const unread = (aggregator: string): string =>
  `the path that ${aggregator} takes is not read: the order's contract holds the amount spent and the least amount received`
