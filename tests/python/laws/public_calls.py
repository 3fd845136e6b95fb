"""What stands for each public name where long calls are walked: a call that lasts, or a reason why
the name cannot be deaf to Ctrl-C.

Names are those of the class that defines a method, behind the package that defines the class.
"""

from __future__ import annotations

WALKED = {
    "advise": "advice: advise",
    "CaMML": "bayesian_networks: CaMML.fit",
    "CaMML.predict_proba": """
    bayesian_networks: CaMML.predict_log_proba CaMML.predict_proba NetworkClassifier.predict
      NetworkClassifier.score
    """,
    "message_length": "bayesian_networks: message_length",
    "exact_posterior": "bayesian_networks: exact_posterior",
    "BayesianNetwork.sample": """
    bayesian_networks: BayesianNetwork.sample
    datasets: RandomNetwork.sample TableNetwork.draw make_bayesian_network
    """,
    "rows of a network": """
    bayesian_networks: BayesianNetwork.from_table BayesianNetwork.log_likelihood
      BayesianNetwork.log_probabilities BayesianNetwork.predict BayesianNetwork.predict_proba
    datasets: RandomNetwork.joint RandomNetwork.predict RandomNetwork.predict_proba
      TableNetwork.joint TableNetwork.log_joint
    """,
    "fit a forest": "estimators: GrownForest.fit",
    "fit a forest of numbers": "estimators: FastForestRegressor.fit",
    "fit by the class": "estimators: FastTreeClassifier.fit",
    "fit by the number": "estimators: FastTreeRegressor.fit",
    "encode and fit": "estimators: fit",
    "encode text": """
    table: Table.as_regression Table.from_any Table.from_columns Table.with_columns
      Table.with_dates Table.with_unused
    """,
    "score_features": "feature_selection: score_features",
    "estimate_features by rows": "feature_selection: estimate_features",
    "pair_counts": "feature_selection: pair_counts",
    "count_matrices": "feature_selection: count_matrices",
    "turf": "feature_selection: turf",
    "p-values of genotypes": "feature_selection: relief_p_values",
    "a sweep of counts": """
    feature_selection: PairCounts.counts PairCounts.matrices PairCounts.root PairCounts.score
      PairCounts.sweep PairCounts.tables
    """,
    "sweep": "model_selection: sweep",
    "cross_validate": "model_selection: CrossValidation.refit cross_validate",
    "compare": "model_selection: compare",
    "learning_curve": "model_selection: learning_curve",
    "predict": "estimators: Classifier.predict Classifier.score Regressor.predict Regressor.score",
    "predict_proba": "estimators: Classifier.predict_log_proba Classifier.predict_proba",
    "apply": """
    datasets: GeneratingTree.apply GeneratingTree.predict
    estimators: TreeEstimator.apply
    """,
    "leaves of a forest": "estimators: GrownForest.apply",
    "decision_path": "estimators: TreeEstimator.decision_rule TreeEstimator.decision_path",
    "explain": "estimators: TreeEstimator.explain",
    "prune": "estimators: TreeEstimator.prune",
    "cost_complexity_pruning_path": """
    estimators: TreeEstimator.ccp_path_ TreeEstimator.cost_complexity_pruning_path
      TreeEstimator.cp_table
    """,
    "to_bytes": "estimators: Estimator.save Estimator.to_bytes Regressor.to_bytes",
    "from_bytes": "fasttree: from_bytes load",
    "shap_values": """
    estimators: Estimator.expected_value Estimator.shap_explanation
      Estimator.shap_values
    """,
    "to_sklearn": "estimators: GrownForest.estimators_ Estimator.to_sklearn",
    "to_text": "exports: Readable.to_text",
    "to_dot": "exports: Readable.to_dot",
    "to_rules": """
    exports: Readable.to_rules Rules.records Rules.sorted Rules.to_frame Rules.to_text
      _LeafRule.row _LeafRule.to_text
    """,
    "to_sql": "exports: Readable.to_sql",
    "to_c": "exports: Readable.to_c",
    "to_python": "exports: Readable.to_python",
    "to_onnx": "exports: Readable.to_onnx",
    "to_svg": "exports: Readable.to_svg",
    "exports of a forest": """
    estimators: GrownForest.to_c GrownForest.to_onnx GrownForest.to_python GrownForest.to_sql
    exports: Format.show Format.write
    """,
    "tree_": """
    estimators: TreeEstimator.cut TreeEstimator.get_depth TreeEstimator.get_n_leaves
      TreeEstimator.tree_
    """,
    "global distances": "estimators: TreeEstimator.trace_",
    "staged_score": "estimators: TreeEstimator.staged_score TreeEstimator.staged_predict",
    "permutation_importance": "estimators: GrownForest.permutation_importance",
    "unbiased_importance": "estimators: GrownForest.unbiased_importance",
    "bootstrap_counts": "estimators: GrownForest.bootstrap_counts",
    "minimal_tree": "estimators: minimal_tree",
    "optimal_tree": "estimators: optimal_tree",
    "a minimal tree's class": "estimators: MinimalTreeClassifier.fit",
    "an optimal tree's class": "estimators: OptimalTreeClassifier.fit",
    "near_optimal": "estimators: OptimalTreeClassifier.near_optimal",
    "compare_with_greedy": "estimators: OptimalTreeClassifier.compare_with_greedy",
    "NaiveBayes": "naive_bayes: BayesClassifier.fit",
    "NaiveBayes.predict": """
    naive_bayes: BayesClassifier.predict_joint_log_proba BayesClassifier.predict_log_proba
      BayesClassifier.predict_proba
    """,
    "save a Bayes model": "bayesian_networks: NetworkClassifier.save NetworkClassifier.to_bytes",
    "MDLP": """
    discretize: ColumnTransformer.fit ColumnTransformer.fit_transform ColumnTransformer.transform
    """,
    "load a CSV file": "datasets: load",
    "dump_arff": "datasets: dump_arff",
    "reproduce": "experiments: run",
    "genotypes": """
    datasets: Genotypes.take Genotypes.to_array Genotypes.to_table dump_plink make_genotypes
      read_plink
    """,
    "labels of a Table": """
    table: Column.as_seen Column.is_missing Column.labels Column.n_missing Column.numbers
      Column.take Column.with_levels Table.X Table.drop_missing_target Table.equals
      Table.missing_target Table.numbers Table.take Table.to_frame Table.y Table.y_codes
    """,
    "evaluate": "estimators: Classifier.evaluate Regressor.evaluate",
    "intervals of numbers": """
    estimators: Regressor.calibrate Regressor.predict_interval Regressor.predict_quantiles
    """,
    "explore": "estimators: Estimator.explore FirstTests.explore",
    "stability": "estimators: Stability.thresholds Stability.votes TreeEstimator.stability",
    "metrics of labels": """
    metrics: MeanOverGroups.of Scorer.value accuracy cohen_kappa confusion_matrix
      cost_optimal_decision error_rate expected_cost f_beta matthews_correlation per_class
      precision recall unclassified_rate
    """,
    "metrics of shares": """
    metrics: bayesian_information_reward brier_score calibration_curve expected_calibration_error
      good_information_reward information_reward_2002 kononenko_bratko_information_score
      kullback_leibler_divergence laplace_scores log_loss
    """,
    "metrics of scores": """
    metrics: auc cheapest_classifiers cost_curve cost_curve_area cost_envelope roc_convex_hull
      roc_curve
    """,
    "folds of labels": """
    model_selection: ContiguousKFold.holdout_rows ContiguousKFold.split
      ContiguousKFold.training_rows JavaRandom.next_ints LearningCurveSplit.split
      StratifiedRepeatedKFold.split WekaKFold.split
    """,
    "plot a tree": """
    estimators: TreeEstimator.plot
    plots: plot_tree
    """,
    "select features": "feature_selection: Selector.fit Selector.transform",
}
"""Name in `long_calls.CALLS` -> the public names that do what the call does."""

SHORT = {
    "keeps, checks or names what is given, or reads what is kept": """
    _checks: Declared.checked_option Parameters.get_params Parameters.set_params
    _engine: show_versions
    bayesian_networks: BayesianNetwork.classes BayesianNetwork.n_parameters exact_memory
    cli: main
    criteria: Criterion.name Criterion.options PairFunction.name PairFunction.options evidence_of
      list_criteria make
    datasets: GeneratingTree.n_leaves GeneratingTree.n_nodes Genotypes.classes
      Genotypes.feature_names Genotypes.n_samples Genotypes.n_variants Genotypes.shape
      Genotypes.variants_records Limits.core RandomNetwork.classes RandomNetwork.feature_names
      RandomNetwork.levels list_datasets
    discretize: ColumnTransformer.get_feature_names_out ColumnTransformer.set_output
      Discretizer.labels_ Discretizer.to_config interval_labels make
    estimators: Estimator.route_ GrownForest.feature_importances_ TreeEstimator.feature_importances_
      LeafIntervals.legend LeafIntervals.said LeafIntervals.title LeafIntervals.to_text
      TreeEstimator.get_params
      TreeEstimator.leaf_intervals TreeEstimator.prune_report_
      Stability.caution Stability.legend Stability.multiplicities Stability.ranked
      Stability.root_sentence Stability.sentence_of
      Stability.share_of Stability.to_dict Stability.to_text
    exports: Rule.confidence Rule.record
    metrics: Metric.task depth get_metric leaves list_metrics nodes scorer
    model_selection: JavaRandom.next_int LearningCurveSplit.row_sizes Splitter.get_n_splits
    pruning: Pruning.needs_rows Pruning.to_config _CostComplexity.alpha_rule
      _CostComplexity.to_config _ReducedError.to_config impurity_for make
    table: Table.all_columns Table.block Table.class_values Table.classes Table.column Table.columns
      Table.dates Table.describe Table.drop Table.feature_names Table.head Table.labels_are_numbers
      Table.n_features Table.target Table.target_column Table.task
    """,
    "reads a data set of the package, or makes rows by passes of NumPy": """
    datasets: load_balance_scale load_breast_cancer load_contact_lenses load_iris load_monks_1
      load_monks_2 load_monks_3 load_tic_tac_toe load_weather load_weather_numeric load_wine
      load_xor make_balance_scale make_blobs make_contact_lenses make_led make_monks make_parity
      make_random_tree make_tic_tac_toe make_waveform make_weather make_xor
    """,
    "writes or tests one number per data set, method, fold or feature, in Python": """
    advice: Advice.code Advice.notes Advice.sentence Advice.to_dict Advice.to_html Advice.to_text
    experiments: Reproduction.add Reproduction.add_figure Reproduction.add_mean
      Reproduction.add_table Reproduction.cells Reproduction.document Reproduction.summary
      Reproduction.to_json Reproduction.to_text Row.of
    metrics: CostCurve.area CostCurve.cost_at Evaluation.beside_accuracy Evaluation.cost_text
      Evaluation.rare_text Evaluation.summary Evaluation.to_dict Evaluation.to_text
      PerClass.cells PerClass.records PerClass.weighted RegressionEvaluation.summary
      RegressionEvaluation.to_dict Summary.to_text
    model_selection: AnovaResult.intervals AnovaResult.sentence AnovaResult.significant
      AnovaResult.to_dict
      Comparison.against_baseline Comparison.averages
      Comparison.bayesian_signed_rank Comparison.bayesian_test Comparison.best
      Comparison.document Comparison.friedman Comparison.is_ranked Comparison.marks
      Comparison.pair_test
      Comparison.posterior Comparison.records Comparison.significantly_worse Comparison.tables
      Comparison.to_frame
      Comparison.win_matrix Comparison.wins_ties_losses Comparison.with_metric
      ControlTestResult.sentence ControlTestResult.significant ControlTestResult.tables
      CrossValidation.against_first CrossValidation.document CrossValidation.environment
      CrossValidation.fold_values
      CrossValidation.larger_is_better CrossValidation.matrix CrossValidation.mean
      CrossValidation.methods CrossValidation.records CrossValidation.repeat_means
      CrossValidation.sd CrossValidation.summary CrossValidation.tables CrossValidation.to_frame
      CrossValidation.true_codes CrossValidation.true_numbers CrossValidation.values FiveByTwo
      FriedmanResult.beats FriedmanResult.caption FriedmanResult.groups FriedmanResult.intervals
      FriedmanResult.sentence FriedmanResult.significant FriedmanResult.tables FriedmanResult.test
      LearningCurve.document LearningCurve.methods LearningCurve.records LearningCurve.tables
      LearningCurve.values PairedTestResult.sentence
      PairedTestResult.significant Posterior.left Posterior.right Posterior.sentence
      Posterior.verdict Ranked.document Ranked.records Shown.to_dict SignedRankPosterior.verdict
      Sweep.best Sweep.document
      Sweep.layout Sweep.map Sweep.records Sweep.tables TwoWayAnovaResult.sentence
      against_control bayesian_correlated_t_test bayesian_signed_rank_test bonferroni
      corrected_resampled_t_test five_by_two_cv_f_test five_by_two_cv_t_test friedman_nemenyi holm
      paired_t_test repeated_measures_anova
      two_way_repeated_measures_anova wilcoxon
    pruning: PruneReport.of
    exports: Listed.to_frame Records.to_frame Rendered.to_csv Rendered.to_frame Rendered.to_html
      Rendered.to_json Rendered.to_latex Rendered.to_markdown Rendered.to_text
      ReportTable.number_columns render render_csv render_json tables_of
    reports: render_html
    feature_selection: FeatureEstimates.difference_errors FeatureEstimates.ranking
      FeatureEstimates.records FeatureEstimates.separated FeatureEstimates.standard_errors
      FeatureEstimates.to_frame
      PairCounts.pairs TurfResult.ranking VariantTests.ranking VariantTests.records
      VariantTests.to_frame
    """,
    "draws by Matplotlib, which is written in Python, what is already computed": """
    advice: Advice.plot
    estimators: GreedyComparison.plot Estimator.plot_importances Stability.plot
    experiments: Reproduction.save_figures
    model_selection: LearningCurve.plot Sweep.plot
    plots: accuracy_map calibration_curves cost_curves criteria_bars criteria_dots detached
      greedy_losses grouped_bars growth_curve learning_curves manhattan new_figure
      observed_by_predicted plot_importances rank_diagram residuals reward_curves roc_curves
      stability_bars
      roc_graph tree_size_bars
    """,
    "makes one pass of NumPy over numbers, .3 s for ten million": """
    criteria: Criterion.distance Criterion.score
    metrics: class_prior f_beta_from_counts mean_absolute_error mean_pinball_loss
      mean_poisson_deviance median_absolute_error probability_cost r2_score reward_curves
      root_mean_squared_error
    """,
    "waits in Python for workers, which Dask cancels": """
    distributed: _ClassifiesOnDask.predict_proba _OnDask.fit _OnDask.predict estimate_features fit
      fit_forest pair_counts score_features
    """,
    "walks the nodes of one tree or network in Python": """
    bayesian_networks: BayesianNetwork.arc_strengths BayesianNetwork.arcs BayesianNetwork.families
      BayesianNetwork.from_reading BayesianNetwork.is_equivalent BayesianNetwork.markov_blanket
      BayesianNetwork.save BayesianNetwork.state BayesianNetwork.to_bytes BayesianNetwork.to_dot
      BayesianNetwork.to_svg CaMML.to_dot CaMML.to_svg OrderedModel.arcs
      OrderedModel.message_length components equivalent
    datasets: GeneratingTree.to_text
    exports: Exploration.html Exploration.open Exploration.save
    naive_bayes: TAN.network_
    """,
}
"""Reason -> the public names that it holds for: none is in one native call for a second."""
