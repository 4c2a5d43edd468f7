/** The kind of a page: public (`open`), for signed-in users (`account`), or shown `instead` of another page. */
export type PageKind = 'open' | 'account' | 'instead';
