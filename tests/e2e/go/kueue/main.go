// Kueue's controllers, its scheduler and its webhooks, as its own program starts them, without what that program insists
// on: certificates of the metrics at a fixed place outside of any cluster's directory, and servers of metrics and of
// queue positions that listen on every address of the machine.  Flags: --kubeconfig, --config.
package main

import (
	"flag"
	"log"
	"net/http"

	resource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	clientgo "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	configold "sigs.k8s.io/kueue/apis/config/v1beta1"
	configuration "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueueold "sigs.k8s.io/kueue/apis/kueue/v1beta1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	queuecache "sigs.k8s.io/kueue/pkg/cache/queue"
	cache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/config"
	"sigs.k8s.io/kueue/pkg/constants"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/controller/elasticjobs"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs"
	"sigs.k8s.io/kueue/pkg/controller/tas"
	tasindexer "sigs.k8s.io/kueue/pkg/controller/tas/indexer"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler"
	expectations "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	"sigs.k8s.io/kueue/pkg/util/kubeversion"
	"sigs.k8s.io/kueue/pkg/webhooks"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// all is for the functions that also say which part has failed.
func all(part string, err error) {
	if err != nil {
		log.Fatal(part, ": ", err)
	}
}

func kinds() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgo.AddToScheme, scheduling.AddToScheme, resource.AddToScheme,
		kueue.AddToScheme, kueueold.AddToScheme, configold.AddToScheme, configuration.AddToScheme} {
		must(add(scheme))
	}
	must(jobframework.ForEachIntegration(func(_ string, one jobframework.IntegrationCallbacks) error {
		if one.AddToScheme == nil {
			return nil
		}
		return one.AddToScheme(scheme)
	}))
	return scheme
}

func main() {
	file := flag.String("config", "", "the file with Kueue's Configuration")
	flag.Parse() // --kubeconfig is a flag of controller-runtime
	ctrl.SetLogger(zap.New())
	ctx := ctrl.SetupSignalHandler()

	scheme := kinds()
	options, settings, err := config.Load(scheme, *file)
	must(err)
	must(config.LoadAndValidateFeatureGates("", settings.FeatureGates).ToAggregate())
	must(config.Validate(&settings, scheme).ToAggregate())
	must(config.AddWebhookSettingsTo(&options, &settings))
	options.Metrics.BindAddress = "0"
	rest := ctrl.GetConfigOrDie()
	rest.QPS, rest.Burst = *settings.ClientConnection.QPS, int(*settings.ClientConnection.Burst)
	manager, err := ctrl.NewManager(rest, options)
	must(err)

	client, formatter, expected := manager.GetClient(), resources.NewResourceFormatter(), expectations.New()
	running := cache.New(client, cache.WithResourceFormatter(formatter))
	requeuer := queuecache.NewRequeuer()
	must(manager.Add(requeuer))
	queues := queuecache.NewManager(client, running, requeuer, queuecache.WithResourceFormatter(formatter),
		queuecache.WithPreemptionExpectations(expected))

	indexes := manager.GetFieldIndexer()
	must(indexer.Setup(ctx, indexes))
	must(tasindexer.SetupIndexes(ctx, indexes))
	frameworks := jobframework.WithEnabledFrameworks(settings.Integrations.Frameworks)
	must(jobframework.SetupIndexes(ctx, indexes, frameworks))
	served, err := discovery.NewDiscoveryClientForConfig(rest)
	must(err)
	version := kubeversion.NewServerVersionFetcher(served)
	must(manager.Add(version))
	must(version.FetchServerVersion())
	must(manager.AddReadyzCheck("readyz", func(r *http.Request) error { return manager.GetWebhookServer().StartedChecker()(r) }))

	all(core.SetupControllers(manager, queues, running, &settings, core.SetupControllersOpts{
		PreemptionExpectations: expected, ResourceFormatter: formatter}))
	all(tas.SetupControllers(manager, queues, running, &settings, nil))
	all(elasticjobs.SetupWithManager(manager, &settings, nil))
	namespaces, err := meta.LabelSelectorAsSelector(settings.ManagedJobsNamespaceSelector)
	must(err)
	must(jobframework.SetupControllers(ctx, manager, ctrl.Log, frameworks,
		jobframework.WithManageJobsWithoutQueueName(settings.ManageJobsWithoutQueueName),
		jobframework.WithManagedJobsNamespaceSelector(namespaces),
		jobframework.WithKubeServerVersion(version),
		jobframework.WithManagerName(constants.KueueName),
		jobframework.WithCache(running),
		jobframework.WithQueues(queues)))
	all(webhooks.Setup(manager, nil))
	go queues.CleanUpOnContext(ctx)
	go running.CleanUpOnContext(ctx)
	must(manager.Add(scheduler.New(queues, running, client, manager.GetEventRecorder(constants.AdmissionName),
		scheduler.WithPreemptionExpectations(expected), scheduler.WithResourceFormatter(formatter))))
	must(manager.Start(ctx))
}
