const SETTINGS = {
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  displayRequestDuration: true,
  // Otherwise the page would send the document to a validator of another host.
  validatorUrl: null,
};

/** Starts Swagger UI in the browser. */
export const REFERENCE_SCRIPT = `const KEY = 'authorization';

// The token stays in the tab: other tabs and later visits do not have it.
const rememberToken = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (payload) => {
          sessionStorage.setItem(KEY, JSON.stringify(payload));
          return authorize(payload);
        },
        logout: (logout) => (names) => {
          sessionStorage.removeItem(KEY);
          return logout(names);
        },
      },
    },
  },
});

// By default, the filter would search only the names of areas.
const searchCalls = () => ({
  fn: {
    opsFilter: (areas, phrase) => {
      const wanted = phrase.toLowerCase();
      const matches = (text) => text.toLowerCase().includes(wanted);
      const textOf = (call) => [call.get('method'), call.get('path'), call.getIn(['operation', 'summary'])].join(' ');
      return areas
        .map((area, name) =>
          matches(name) ? area : area.update('operations', (calls) => calls.filter((call) => matches(textOf(call)))),
        )
        .filter((area) => area.get('operations').size > 0);
    },
  },
  wrapComponents: {
    // While somebody searches, the areas are open.
    OperationTag: (Area, { React }) => (props) => {
      const isSearching = typeof props.layoutSelectors.currentFilter() === 'string';
      const isShown = (path, byDefault) => props.layoutSelectors.isShown(path, byDefault || isSearching);
      return React.createElement(Area, { ...props, layoutSelectors: { ...props.layoutSelectors, isShown } });
    },
  },
});

const ui = SwaggerUIBundle({
  ...${JSON.stringify(SETTINGS)},
  plugins: [rememberToken, searchCalls],
  onComplete: () => {
    const stored = sessionStorage.getItem(KEY);
    if (stored !== null) ui.authActions.authorize(JSON.parse(stored));
  },
});
`;
