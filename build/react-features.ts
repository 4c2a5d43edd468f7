/** A feature of React that the site does not use. */
interface Feature {
  /** What the build no longer exports, so that code that imports it fails to build. */
  readonly exports?: readonly string[];
  /** Functions of `react-dom/client` that do nothing unless something uses the feature. */
  readonly functions: readonly string[];
  /** Constructors whose methods only the feature calls. */
  readonly classes?: readonly string[];
}

/** Nine of React’s 58 kB. `reactModules` fails if a version of React renames one of the functions. */
export const unusedFeatures: Readonly<Record<string, Feature>> = {
  'view transitions': {
    exports: ['ViewTransition', 'addTransitionType'],
    functions: [
      'getViewTransitionName',
      'getViewTransitionClassName',
      'trackEnterViewTransitions',
      'applyViewTransitionToHostInstances',
      'restoreViewTransitionOnHostInstances',
      'restoreViewTransitionName',
      'commitAppearingPairViewTransitions',
      'commitEnterViewTransitions',
      'commitDeletedPairViewTransitions',
      'commitExitViewTransitions',
      'commitNestedViewTransitions',
      'restorePairedViewTransitions',
      'restoreEnterOrExitViewTransitions',
      'restoreNestedViewTransitions',
      'measureViewTransitionHostInstancesRecursive',
      'measureNestedViewTransitions',
      'scheduleViewTransitionEvent',
      'startViewTransition',
      'reportViewTransitionError',
      'createViewTransitionInstance',
    ],
    classes: ['ViewTransitionPseudoElement'],
  },
  'refs to fragments': {
    functions: [
      'FragmentInstance',
      'isFragmentInstanceParent',
      'addFragmentHandleToFiber',
      'addFragmentHandleToInstance',
      'commitNewChildToFragmentInstances',
      'commitNewChildToFragmentInstance',
      'deleteChildFromFragmentInstance',
    ],
    classes: ['FragmentInstance'],
  },
  'functions as actions of forms': {
    exports: ['useActionState', 'useFormState', 'useFormStatus', 'requestFormReset'],
    functions: [
      'mountActionState',
      'updateActionState',
      'rerenderActionState',
      'dispatchActionState',
      'startHostTransition',
      'requestFormReset$1',
      'recursivelyResetForms',
      'extractEvents$1',
    ],
  },
  'lists of suspended parts, and hidden activities': {
    exports: ['Activity'],
    functions: ['updateSuspenseListComponent', 'cutOffTailIfNeeded', 'updateActivityComponent'],
  },
  'custom elements': { functions: ['isCustomElement', 'setPropOnCustomElement'] },
  'hints for resources': {
    exports: ['preconnect', 'prefetchDNS', 'preinit', 'preinitModule', 'preload', 'preloadModule'],
    functions: [
      'preconnect',
      'prefetchDNS',
      'preinitStyle',
      'preinitScript',
      'preinitModuleScript',
      'preload',
      'preloadModule',
    ],
  },
  // The names of components are shortened, so the stack would not help.
  'stacks of components in errors': { functions: ['getStackByFiberInDevAndProd'] },
};
