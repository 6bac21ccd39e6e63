/** What a category is about, for readers who have never seen one of its tasks. */
export type Meaning = {
  /** The behaviour that a right module has. */
  edge: string
  /** What its faulty modules typically do instead. */
  fault: string
}
