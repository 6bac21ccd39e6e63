/** Name of the budget that a submission draws on: one per organisation, epoch and part. */
export const budgetName = (submission: {
  organisation: string
  epoch: string
  part: string
}): string => `${submission.organisation}/${submission.epoch}/${submission.part}`
